// Plain JavaScript, so that the version check also runs on an old Node.
const [major, minor] = process.versions.node.split('.').map(Number);
const [, , script] = process.argv;

if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Node 24.7 or newer is required, but this is Node ${process.versions.node}. On Linux, and on Macs with an Intel processor, ` +
      '"npm ci" installs it. Elsewhere install Node 24 or newer. Then run: npm run ' +
      script,
  );
  process.exit(1);
}
process.argv.splice(2, 1);
await import(`./${script}.ts`);
