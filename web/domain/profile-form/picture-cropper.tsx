import { useState } from 'react';
import Cropper from 'react-easy-crop';
import styles from 'react-easy-crop/react-easy-crop.css?url&no-inline';
import { loadStyles } from '../../platform/styles.ts';
import type { Area } from '../pictures.ts';

await loadStyles(styles);

/** Moves and zooms the picture under a 4:5 frame; arrow keys move it too. */
export default function PictureCropper({ url, onCrop }: { url: string; onCrop: (area: Area) => void }) {
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  return (
    <div className="grid max-w-72 gap-3">
      <div className="relative aspect-[4/5] overflow-hidden rounded-card bg-ink">
        <Cropper
          image={url}
          crop={crop}
          zoom={zoom}
          aspect={4 / 5}
          objectFit="cover"
          showGrid={false}
          onCropChange={setCrop}
          onZoomChange={setZoom}
          onCropComplete={(_, pixels) => onCrop(pixels)}
          // Its own way of bringing styles in is refused by our policy; the file is imported above.
          disableAutomaticStylesInjection
        />
      </div>
      <label className="flex items-center gap-3 text-sm font-medium">
        Zoom
        <input
          type="range"
          min={1}
          max={3}
          step={0.05}
          value={zoom}
          onChange={(event) => setZoom(Number(event.target.value))}
          className="h-11 grow accent-brand"
        />
      </label>
    </div>
  );
}
