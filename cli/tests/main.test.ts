import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { main } from '../main.ts';

const greet: Command = {
  name: 'greet person',
  summary: 'Say hello.',
  requiredArguments: ['NAME'],
  options: {
    loudly: { type: 'boolean', summary: 'with an exclamation mark' },
    from: { type: 'string', valueName: 'SENDER', summary: 'name of the sender' },
  },
  description: ['This changes nothing.'],
  examples: ['Ada', 'Ada --loudly'],
  run: async ({ args: [name], values: { from }, flags }, { print }) => {
    if (name === 'nobody') throw new Failure('There is no one to greet. Name a person.');
    print(`Hello ${name}${flags.has('loudly') ? '!' : '.'}${from ? ` From ${from}.` : ''}`);
    return name === 'everybody' ? 1 : undefined;
  },
};

async function call(...args: string[]): Promise<[number, string[], string[]]> {
  return callWith([greet], ...args);
}

async function callWith(commands: readonly Command[], ...args: string[]): Promise<[number, string[], string[]]> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const tools: Tools = {
    environment: {},
    print: (line) => void stdout.push(line),
    printStatus: (line) => void stderr.push(line),
    progress: () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
  };
  return [await main(args, {}, tools, commands), stdout, stderr];
}

describe('main', () => {
  test('passes arguments and options in any order, and returns the exit code', async () => {
    expect(await call('greet', 'person', 'Ada', '--loudly')).toEqual([0, ['Hello Ada!'], []]);
    expect(await call('greet', 'person', '--from', 'Bola', 'Ada')).toEqual([0, ['Hello Ada. From Bola.'], []]);
    expect(await call('greet', 'person', 'everybody')).toEqual([1, ['Hello everybody.'], []]);
  });

  test('prints the error message of a failed command without a stack trace', async () => {
    expect(await call('greet', 'person', 'nobody')).toEqual([1, [], ['There is no one to greet. Name a person.']]);
  });

  test('returns exit code 2 and a help hint for usage errors', async () => {
    for (const [args, problem] of [
      [['greet', 'person'], 'Missing argument: NAME.'],
      [['greet', 'person', 'Ada', 'Bola'], 'Unexpected argument "Bola".'],
      [['greet', 'person', 'Ada', '--quietly'], "Unknown option '--quietly'."],
      [['greet', 'person', 'Ada', '--from'], "Option '--from <value>' argument missing."],
    ] as const) {
      expect(await call(...args)).toEqual([2, [], [`${problem}\nHelp: npm run archive -- greet person --help`]]);
    }
    for (const typed of ['greet', 'wave']) {
      const [code, stdout, stderr] = await call(typed);
      expect([code, stdout, stderr.join('\n')]).toEqual([
        2,
        [],
        expect.stringMatching(new RegExp(`^Unknown command "${typed}"\\.\n(?:.*\n)*  greet person NAME  Say`, 'u')),
      ]);
    }
  });

  test('lists the commands that begin with what was typed, with exit code 0 only for --help', async () => {
    const commands = ['greet person', 'greet everyone', 'grow'].map((name) => ({ ...greet, name }));
    const namesIn = (lines: readonly string[]) =>
      Array.from(lines.join('\n').matchAll(/^  (?<name>\S.*?) NAME  /gmu), ([, name]) => name);
    for (const [typed, names] of [
      [['greet'], ['greet person', 'greet everyone']],
      [['greet', 'ev'], ['greet everyone']],
      [
        ['greet', 'dog', '--loudly'],
        ['greet person', 'greet everyone'],
      ],
      [['gr'], ['greet person', 'greet everyone', 'grow']],
    ] as const) {
      const [code, stdout, stderr] = await callWith(commands, ...typed);
      expect([typed, code, stdout, namesIn(stderr)]).toEqual([typed, 2, [], names]);
      const [helpCode, help, problems] = await callWith(commands, ...typed, '--help');
      expect([typed, helpCode, namesIn(help), problems]).toEqual([typed, 0, names, []]);
    }
    expect(namesIn((await callWith(commands, 'wave', '--help'))[2])).toEqual([
      'greet person',
      'greet everyone',
      'grow',
    ]);
  });

  test('prints the list of commands, and the help of one command', async () => {
    const [code, list] = await call('--help');
    expect([code, list.join('\n')]).toEqual([0, expect.stringContaining('greet person NAME  Say hello.')]);
    expect(await call()).toEqual([2, [], list]);
    const [, help] = await call('greet', 'person', '--help');
    expect(help.join('\n')).toBe(
      [
        'Usage: npm run archive -- greet person NAME [OPTIONS]',
        '',
        'Say hello.',
        '',
        'This changes nothing.',
        '',
        'Options:',
        '  --loudly       with an exclamation mark',
        '  --from SENDER  name of the sender',
        '  --help         show this help',
        '',
        'Examples:',
        '  npm run archive -- greet person Ada',
        '  npm run archive -- greet person Ada --loudly',
      ].join('\n'),
    );
  });
});

test('main reports no error if the reader of its output closes the pipe', { tags: ['release'] }, () => {
  const root = join(import.meta.dirname, '..', '..');
  const line = `"${process.execPath}" scripts/run.mjs archive --help | { read -r first; echo "$first"; }; echo "\${PIPESTATUS[0]}"`;
  for (let attempt = 0; attempt < 3; attempt++) {
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8' });
    expect([stdout.trim().split('\n').at(-1), stderr]).toEqual(['0', '']);
  }
});
