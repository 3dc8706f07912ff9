// Plain JavaScript on purpose: it has to speak even to a Node that is too old for everything else.
const [major, minor] = process.versions.node.split('.').map(Number);
const [, , script] = process.argv;

if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `This needs Node 24.7 or newer; here runs ${process.versions.node}. On Linux and on Macs with an Intel processor ` +
      '"npm ci" brings one. Elsewhere install Node 24 or newer, and start through npm: npm run ' +
      script,
  );
  process.exit(1);
}
process.argv.splice(2, 1);
await import(`./${script}.ts`);
