import { main } from '#cli/main.ts';

// Whoever reads only the beginning (`| head`) has read enough; what the command does goes on to its end all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2), process.env);
