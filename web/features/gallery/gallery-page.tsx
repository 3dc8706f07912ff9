/** The first album (decision 12): drawn scenes that show no real place or person, until the university has its own. */
const photos = [
  { file: 'convocation', caption: 'Convocation: caps in the air' },
  { file: 'rock', caption: 'The rock at dawn' },
  { file: 'lecture', caption: 'A full lecture hall' },
  { file: 'library', caption: 'The library at night' },
  { file: 'match', caption: 'Departments’ cup, the final' },
  { file: 'choir', caption: 'The choir’s last song' },
];

const videos = [
  { file: 'caps', caption: 'Caps over the rock' },
  { file: 'rain', caption: 'Rain on the library' },
  { file: 'confetti', caption: 'After the final whistle' },
];

const grid = 'grid gap-4 sm:grid-cols-2 xl:grid-cols-3';
const card = 'overflow-hidden rounded-card border border-line bg-raised';

export function GalleryPage() {
  return (
    <div className="mx-auto max-w-[1600px] px-4 py-6 lg:px-8">
      <h1 className="text-xl font-bold lg:text-2xl">Gallery</h1>
      <p className="mt-1 mb-6 max-w-[66ch] text-ink-soft">Sample pictures and films, drawn for this archive.</p>
      <section aria-labelledby="photos">
        <h2 id="photos" className="mb-3 text-lg font-bold">
          Photos
        </h2>
        <ul className={grid}>
          {photos.map(({ file, caption }) => (
            <li key={file}>
              <figure className={card}>
                <img
                  src={`/gallery/${file}.svg`}
                  alt=""
                  width="1200"
                  height="800"
                  loading="lazy"
                  className="w-full bg-line"
                />
                <figcaption className="px-4 py-3 font-medium">{caption}</figcaption>
              </figure>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="videos" className="mt-10">
        <h2 id="videos" className="mb-3 text-lg font-bold">
          Videos
        </h2>
        <ul className={grid}>
          {videos.map(({ file, caption }) => (
            <li key={file}>
              <figure className={card}>
                {/* Nothing of a film travels before somebody presses play: 60 KB each. They have no sound. */}
                <video
                  controls
                  muted
                  playsInline
                  preload="none"
                  poster={`/gallery/${file}.webp`}
                  src={`/gallery/${file}.webm`}
                  width="640"
                  height="360"
                  aria-label={caption}
                  className="w-full bg-ink"
                />
                <figcaption className="px-4 py-3 font-medium">{caption}</figcaption>
              </figure>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
