/** Maximum length of a cropped picture as a data URL, in characters; about 4.5 MB of image. */
export const maxPictureChars = 6_000_000;

export const maxPictureBodyBytes = 6_200_000;

/** Maximum size of a document for the alumni office, and of a request body that contains it in base64. */
export const maxDocumentBytes = 5 * 1024 * 1024;
export const maxDocumentBodyBytes = 7_100_000;
export const wrongDocument = 'Choose a photo (JPEG, PNG or WebP) or a PDF of up to 5 MB.';
