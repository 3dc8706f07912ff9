/** Maximum length of a cropped picture as a data URL, in characters; about 4.5 MB of image. */
export const maxPictureChars = 6_000_000;

export const maxPictureBodyBytes = 6_200_000;
