import type { ParseArgsOptionDescriptor } from 'node:util';

/** One command of the operator's, e.g. `npm run archive -- user show EMAIL`. */
export interface Command {
  /** Its words, e.g. `user show`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What has to stand behind the name, in capitals, e.g. `['EMAIL']`. */
  readonly takes?: readonly string[];
  /** What may stand there after that. */
  readonly optional?: readonly string[];
  /** Its options, by their long names. `--help` is everybody's. */
  readonly options?: Readonly<Record<string, Option>>;
  /** More that `--help` says: paragraphs in plain words. */
  readonly help?: readonly string[];
  /**
   * @returns the exit code: 0 done, 1 found something that has to be looked at
   * @throws Failure, or any Error whose message is a sentence for the operator: exit code 1
   */
  run(input: Input, tools: Tools): Promise<number | void>;
}

export interface Option extends ParseArgsOptionDescriptor {
  /** One line for `--help`. */
  readonly summary: string;
  /** What stands for its value there, e.g. `FILE`. */
  readonly value?: string;
}

/** What was typed. */
export interface Input {
  /** As many as `takes` names, and up to as many more as `optional` does. */
  readonly args: readonly string[];
  /** The texts of options with a value. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The names of the options that stand for themselves, e.g. `dry-run`. */
  readonly flags: ReadonlySet<string>;
}

/** What a command works with. */
export interface Tools {
  readonly environment: NodeJS.ProcessEnv;
  /** A line of the result, on standard output. */
  readonly say: (line: string) => void;
  /** A line about how it goes, on standard error: it is not part of the result. */
  readonly note: (line: string) => void;
  /** A bar on standard error for work that takes a while. @param total null where nobody knows beforehand */
  readonly progress: (label: string, total: number | null) => Progress;
}

/** A progress bar; `using` ends its line. */
export interface Progress extends Disposable {
  /** Counts so many more as done. */
  add(count?: number): void;
}

/** Something that the operator has to know, in a sentence that says what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Returns whether a command makes its change, or else says what it would be. @throws Failure if `--yes` is missing */
export async function confirm(
  { flags }: Input,
  { say, note }: Tools,
  needsYes: boolean,
  plan: () => string | Promise<string>,
): Promise<boolean> {
  const isDry = flags.has('dry-run');
  if (!isDry && (!needsYes || flags.has('yes'))) return true;
  say(await plan());
  if (!isDry) throw new Failure('Nothing was changed. To do it, add --yes.');
  note('Nothing was changed.');
  return false;
}
