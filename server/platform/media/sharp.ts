import sharp from 'sharp';

// Processes one picture at a time on one core, so that other requests stay fast during many uploads.
sharp.concurrency(1);
sharp.cache(false);
// Reduces the attack surface: of the dozens of formats that libvips can parse, only three are enabled.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });

export { sharp };
