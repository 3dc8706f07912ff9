import { main } from '#cli/main.ts';

// A reader such as `| head` may close the pipe early. The command still runs to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2), process.env);
