import { useState } from 'react';
import Cropper from 'react-easy-crop';
import styles from 'react-easy-crop/react-easy-crop.css?url&no-inline';
import { loadStyles } from '#web/platform/styles.ts';
import type { Area } from '../pictures.ts';

await loadStyles(styles);

/** Crops a picture to a 4:5 frame. The picture can be moved with the pointer or the arrow keys, and zoomed. */
export default function PictureCropper({ url, onCrop }: { url: string; onCrop: (area: Area) => void }) {
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  return (
    <div className="grid max-w-72 gap-3 max-lg:max-w-[min(18rem,29dvh)]">
      <div className="relative aspect-[4/5] overflow-hidden bg-wash print-shape">
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
          // The content security policy forbids the <style> element that the library inserts. The file is imported
          // above.
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
