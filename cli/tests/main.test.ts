import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { main } from '../main.ts';

const greet: Command = {
  name: 'greet person',
  summary: 'Says hello.',
  takes: ['NAME'],
  options: {
    loudly: { type: 'boolean', summary: 'with an exclamation mark' },
    from: { type: 'string', value: 'SENDER', summary: 'who says it' },
  },
  help: ['Nothing is changed by it.'],
  run: async ({ args: [name], values: { from }, flags }, { say }) => {
    if (name === 'nobody') throw new Failure('There is nobody to greet. Name somebody.');
    say(`Hello ${name}${flags.has('loudly') ? '!' : '.'}${from ? ` From ${from}.` : ''}`);
    return name === 'everybody' ? 1 : undefined;
  },
};

/** @returns the exit code, what came out, and what was said beside it */
async function call(...words: string[]): Promise<[number, string[], string[]]> {
  const [said, noted]: [string[], string[]] = [[], []];
  const tools: Tools = {
    environment: {},
    say: (line) => void said.push(line),
    note: (line) => void noted.push(line),
    progress: () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
  };
  return [await main(words, {}, tools, [greet]), said, noted];
}

describe('a command of the operator’s', () => {
  test('gets what was typed, in any order, and its exit code is the process’s', async () => {
    expect(await call('greet', 'person', 'Ada', '--loudly')).toEqual([0, ['Hello Ada!'], []]);
    expect(await call('greet', 'person', '--from', 'Bola', 'Ada')).toEqual([0, ['Hello Ada. From Bola.'], []]);
    expect(await call('greet', 'person', 'everybody')).toEqual([1, ['Hello everybody.'], []]);
  });

  test('that fails says so in its sentence, without a stack', async () => {
    expect(await call('greet', 'person', 'nobody')).toEqual([1, [], ['There is nobody to greet. Name somebody.']]);
  });

  test('typed wrongly is answered by what is wrong and where to look, with another exit code, and does nothing', async () => {
    for (const [words, problem] of [
      [['greet', 'person'], 'NAME is missing.'],
      [['greet', 'person', 'Ada', 'Bola'], '"Bola" is one word too many.'],
      [['greet', 'person', 'Ada', '--quietly'], "Unknown option '--quietly'."],
      [['greet', 'person', 'Ada', '--from'], "Option '--from <value>' argument missing."],
    ] as const) {
      expect(await call(...words)).toEqual([2, [], [`${problem}\nHelp: npm run archive -- greet person --help`]]);
    }
    for (const typed of ['greet', 'wave']) {
      const [code, said, noted] = await call(typed);
      expect([code, said, noted.join('\n')]).toEqual([
        2,
        [],
        expect.stringMatching(
          new RegExp(`^There is no command "${typed}"\\.\n(?:.*\n)*  greet person NAME  Says`, 'u'),
        ),
      ]);
    }
  });

  test('is listed, and explains itself', async () => {
    const [code, list] = await call('--help');
    expect([code, list.join('\n')]).toEqual([0, expect.stringContaining('greet person NAME  Says hello.')]);
    expect(await call()).toEqual([2, [], list]);
    const [, help] = await call('greet', 'person', '--help');
    expect(help.join('\n')).toBe(
      [
        'Usage: npm run archive -- greet person NAME [OPTIONS]',
        '',
        'Says hello.',
        '',
        'Nothing is changed by it.',
        '',
        'Options:',
        '  --loudly       with an exclamation mark',
        '  --from SENDER  who says it',
      ].join('\n'),
    );
  });
});

test('whoever reads only the beginning of what is said hears of no fault', () => {
  const root = join(import.meta.dirname, '..', '..');
  const line = `"${process.execPath}" scripts/run.mjs archive --help | { read -r first; echo "$first"; }; echo "\${PIPESTATUS[0]}"`;
  for (let time = 0; time < 3; time++) {
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8' });
    expect([stdout.trim().split('\n').at(-1), stderr]).toEqual(['0', '']);
  }
});
