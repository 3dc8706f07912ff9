/*
 * The sample album (D12 in docs/conformance.md): drawings that show no real place or person, until the university adds
 * its own photos.
 */

export const sampleAlbumTitle = 'Drawings of the campus';

export const samplePhotos = [
  { file: 'convocation', title: 'Convocation: caps in the air' },
  { file: 'rock', title: 'The rock at dawn' },
  { file: 'lecture', title: 'A full lecture hall' },
  { file: 'library', title: 'The library at night' },
  { file: 'match', title: 'Final of the departments’ cup' },
  { file: 'choir', title: 'The choir’s last song' },
];

export const sampleVideos = [
  { file: 'caps', title: 'Caps over the rock' },
  { file: 'rain', title: 'Rain on the library' },
  { file: 'confetti', title: 'After the final whistle' },
];
