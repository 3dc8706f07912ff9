import { parseArgs } from 'node:util';
import { type Command, type Input, type Tools } from './support/command.ts';
import { commands as allCommands } from './commands.ts';
import { createProgress } from './support/progress.ts';

const exitCodes = { failed: 1, usageError: 2 };

const commandPrefix = 'npm run archive --';

/**
 * Runs the command that was typed after `npm run archive --`.
 * @returns the exit code: 0 success, 1 failure or a problem found, 2 usage error
 */
export async function main(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  tools: Tools = {
    environment,
    print: (line) => void process.stdout.write(`${line}\n`),
    printStatus: (line) => void process.stderr.write(`${line}\n`),
    progress: createProgress(process.stderr),
  },
  commands: readonly Command[] = allCommands,
): Promise<number> {
  const [first] = args;
  if (first === '--help' || first === 'help') {
    tools.print(formatCommandList(commands));
    return 0;
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
  if (!command) {
    const matching = findMatching(commands, args);
    if (args.includes('--help') && matching.length > 0) {
      tools.print(formatCommandList(matching));
      return 0;
    }
    if (first !== undefined) tools.printStatus(`Unknown command "${args.join(' ')}".\n`);
    tools.printStatus(formatCommandList(matching.length > 0 ? matching : commands));
    return exitCodes.usageError;
  }
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help')) {
    tools.print(formatHelp(command));
    return 0;
  }
  const input = parseInput(command, rest);
  if (typeof input === 'string') {
    tools.printStatus(`${input}\nHelp: ${commandPrefix} ${command.name} --help`);
    return exitCodes.usageError;
  }
  try {
    return (await command.run(input, tools)) ?? 0;
  } catch (error) {
    tools.printStatus((error as Error).message);
    for (let { cause } = error as Error; cause instanceof Error; { cause } = cause)
      tools.printStatus(`(${cause.message})`);
    return exitCodes.failed;
  }
}

/** Returns the commands that begin with what was typed, or with as much of it as matches any command. */
function findMatching(commands: readonly Command[], args: readonly string[]): readonly Command[] {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  for (let count = words.length; count > 0; count--) {
    const typed = words.slice(0, count).join(' ');
    const matching = commands.filter(({ name }) => name.startsWith(typed));
    if (matching.length > 0) return matching;
  }
  return [];
}

function parseInput(
  { requiredArguments = [], optionalArguments = [], options = {} }: Command,
  rest: string[],
): Input | string {
  try {
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    if (positionals.length < requiredArguments.length)
      return `Missing argument: ${requiredArguments.slice(positionals.length).join(' ')}.`;
    const extra = positionals[requiredArguments.length + optionalArguments.length];
    if (extra !== undefined) return `Unexpected argument "${extra}".`;
    const entries = Object.entries(values);
    return {
      args: positionals,
      values: Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
      flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    };
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ');
    return `${sentence}.`;
  }
}

const maxLineChars = 100;

function wrapText(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > maxLineChars) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

function formatTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

const formatUsage = ({ name, requiredArguments = [], optionalArguments = [] }: Command): string =>
  [name, ...requiredArguments, ...optionalArguments.map((argument) => `[${argument}]`)].join(' ');

const formatExamples = ({ name, examples }: Command): string[] =>
  examples.map((args) => `  ${commandPrefix} ${name}${args && ` ${args}`}`);

const formatCommandList = (commands: readonly Command[]): string =>
  [
    `Usage: ${commandPrefix} COMMAND [OPTIONS]`,
    `Commands:\n${formatTable(commands.map((command) => [formatUsage(command), command.summary]))}`,
    `Examples:\n${commands
      .slice(0, 2)
      .flatMap((command) => formatExamples(command).slice(0, 1))
      .join('\n')}`,
    'Set the same environment variables as for the server, e.g. DATA_DIR and DATABASE_URL.',
    `Help for one command: ${commandPrefix} COMMAND --help`,
  ].join('\n\n');

function formatHelp(command: Command): string {
  const options = Object.entries(command.options ?? {}).map(
    ([name, { valueName, summary }]) => [`--${name}${valueName ? ` ${valueName}` : ''}`, summary] as const,
  );
  return [
    `Usage: ${commandPrefix} ${formatUsage(command)} [OPTIONS]`,
    command.summary,
    ...(command.description ?? []).map(wrapText),
    `Options:\n${formatTable([...options, ['--help', 'show this help']])}`,
    `Examples:\n${formatExamples(command).join('\n')}`,
  ].join('\n\n');
}
