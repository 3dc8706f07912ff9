import { parseArgs } from 'node:util';
import { type Command, type Input, type Tools } from './support/command.ts';
import { commands as all } from './commands.ts';
import { createProgress } from './support/progress.ts';

/** Exit codes: done; failed, or something was found; typed wrongly. */
const [failed, misused] = [1, 2];

const call = 'npm run archive --';

/**
 * Does what was typed behind `npm run archive --`.
 * @returns the exit code: 0 done, 1 failed or found something, 2 typed wrongly
 */
export async function main(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  tools: Tools = {
    environment,
    say: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    progress: createProgress(process.stderr),
  },
  commands: readonly Command[] = all,
): Promise<number> {
  const [first] = words;
  if (first === '--help' || first === 'help') {
    tools.say(listOf(commands));
    return 0;
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (!command) {
    const related = commands.filter(({ name }) => name.startsWith(`${first} `));
    if (first !== undefined) tools.note(`There is no command "${words.join(' ')}".\n`);
    tools.note(listOf(related.length > 0 ? related : commands));
    return misused;
  }
  const rest = words.slice(command.name.split(' ').length);
  if (rest.includes('--help')) {
    tools.say(helpOf(command));
    return 0;
  }
  const input = read(command, rest);
  if (typeof input === 'string') {
    tools.note(`${input}\nHelp: ${call} ${command.name} --help`);
    return misused;
  }
  try {
    return (await command.run(input, tools)) ?? 0;
  } catch (error) {
    tools.note((error as Error).message);
    for (let { cause } = error as Error; cause instanceof Error; { cause } = cause) tools.note(`(${cause.message})`);
    return failed;
  }
}

/** Parses the words after the name of a command. @returns a sentence if they are wrong */
function read({ takes = [], optional = [], options = {} }: Command, rest: string[]): Input | string {
  try {
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    if (positionals.length < takes.length) return `${takes.slice(positionals.length).join(' and ')} is missing.`;
    const extra = positionals[takes.length + optional.length];
    if (extra !== undefined) return `"${extra}" is one word too many.`;
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

/** Formats names and what they mean in two columns. */
function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

const usageOf = ({ name, takes = [], optional = [] }: Command): string =>
  [name, ...takes, ...optional.map((word) => `[${word}]`)].join(' ');

const listOf = (commands: readonly Command[]): string =>
  [
    `Usage: ${call} COMMAND`,
    `Commands:\n${table(commands.map((command) => [usageOf(command), command.summary]))}`,
    `Help about one of them: ${call} COMMAND --help\nSettings are those of the product (DATA_DIR, DATABASE_URL, …): set them as for its start.`,
  ].join('\n\n');

function helpOf(command: Command): string {
  const options = Object.entries(command.options ?? {}).map(
    ([name, { value, summary }]) => [`--${name}${value ? ` ${value}` : ''}`, summary] as const,
  );
  return [
    `Usage: ${call} ${usageOf(command)}${options.length > 0 ? ' [OPTIONS]' : ''}`,
    command.summary,
    ...(command.help ?? []),
    ...(options.length > 0 ? [`Options:\n${table(options)}`] : []),
  ].join('\n\n');
}
