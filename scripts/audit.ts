import { execFile } from 'node:child_process';

/*
 * Whether a known weakness stands in what the product ships with. A registry that answers no such question is said so, and is no
 * failure: nothing was found, and nothing was looked for.
 */

const { output, code } = await new Promise<{ output: string; code: number }>((resolve) => {
  execFile('npm', ['audit', '--omit=dev', '--audit-level=high', '--json'], (error, stdout) =>
    resolve({ output: stdout, code: error ? Number(error.code ?? 1) : 0 }),
  );
});
const report = parse(output);
if (!report?.metadata) {
  console.log('Audit: the registry does not answer; nothing was looked for.');
} else {
  const { critical, high, moderate, low } = report.metadata.vulnerabilities;
  console.log(`Audit: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.`);
  if (code !== 0) {
    console.log('See what it is with: npm audit --omit=dev');
    process.exit(1);
  }
}

interface Report {
  readonly metadata?: {
    readonly vulnerabilities: Readonly<Record<'critical' | 'high' | 'moderate' | 'low', number>>;
  };
}

function parse(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return null;
  }
}
