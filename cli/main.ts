import { parseArgs } from 'node:util';
import { type Command, type Input, type Tools } from './command.ts';
import { commands as all } from './commands.ts';
import { createProgress } from './progress.ts';

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
  if (first === undefined || first === '--help' || first === 'help') {
    tools.say(listOf(commands));
    return first === undefined ? misused : 0;
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (!command) {
    const family = commands.filter(({ name }) => name.startsWith(`${first} `));
    tools.note(
      family.length > 0
        ? `"${first}" needs one more word: ${family.map(({ name }) => name.slice(first.length + 1)).join(', ')}.`
        : `There is no command "${first}".`,
    );
    tools.note(`All commands: ${call} --help`);
    return misused;
  }
  const rest = words.slice(command.name.split(' ').length);
  if (rest.includes('--help')) {
    tools.say(helpOf(command));
    return 0;
  }
  const input = read(command, rest);
  if (typeof input === 'string') {
    tools.note(input);
    tools.note(`How it is called: ${call} ${command.name} --help`);
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

/** @returns what was typed, or a sentence about what is wrong with it */
function read({ takes = [], optional = [], options = {} }: Command, rest: string[]): Input | string {
  try {
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    if (positionals.length < takes.length) return `${takes.slice(positionals.length).join(' and ')} is missing.`;
    const most = takes.length + optional.length;
    if (positionals.length > most) return `"${positionals[most]}" is one word too many.`;
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

const table = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

const callOf = ({ name, takes = [], optional = [] }: Command): string =>
  [name, ...takes, ...optional.map((word) => `[${word}]`)].join(' ');

const listOf = (commands: readonly Command[]): string =>
  [
    `${call} COMMAND`,
    '',
    ...table(commands.map((command) => [callOf(command), command.summary])),
    '',
    `More about one of them: ${call} COMMAND --help`,
    'Settings are those of the product (DATA_DIR, DATABASE_URL, …): set them as for its start.',
  ].join('\n');

function helpOf(command: Command): string {
  const options = Object.entries(command.options ?? {});
  return [
    `${call} ${callOf(command)}${options.length > 0 ? ' [OPTIONS]' : ''}`,
    '',
    command.summary,
    ...(command.help ?? []).flatMap((paragraph) => ['', paragraph]),
    ...(options.length > 0
      ? ['', ...table(options.map(([name, { value, summary }]) => [`--${name}${value ? ` ${value}` : ''}`, summary]))]
      : []),
  ].join('\n');
}
