import type { ParseArgsOptionDescriptor } from 'node:util';

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Names of the required arguments in capitals, e.g. `['EMAIL']`. */
  readonly requiredArguments?: readonly string[];
  readonly optionalArguments?: readonly string[];
  /** Options by their long names. Every command also has `--help`. */
  readonly options?: Readonly<Record<string, Option>>;
  readonly description?: readonly string[];
  /** Arguments of example calls for `--help`, e.g. `backup.tar.gz --verify`; at least one. */
  readonly examples: readonly string[];
  /**
   * Runs the command.
   * @returns the exit code: 0 success, 1 a problem found; 0 if undefined
   * @throws Failure, or any Error whose message is written for the operator: exit code 1
   */
  run(input: Input, tools: Tools): Promise<number | void>;
}

export interface Option extends ParseArgsOptionDescriptor {
  readonly summary: string;
  /** Placeholder for the value in `--help`, e.g. `FILE`. */
  readonly valueName?: string;
}

export interface Input {
  /** The required arguments, followed by those optional arguments that were typed. */
  readonly args: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Names of options without a value that were typed, e.g. `dry-run`. */
  readonly flags: ReadonlySet<string>;
}

export interface Tools {
  readonly environment: NodeJS.ProcessEnv;
  /** Prints a line of the result to standard output. */
  readonly print: (line: string) => void;
  /** Prints a line about status or errors to standard error. */
  readonly printStatus: (line: string) => void;
  /** Starts a progress bar on standard error. @param total null if it is unknown */
  readonly progress: (label: string, total: number | null) => Progress;
}

export interface Progress extends Disposable {
  add(count?: number): void;
}

/** Error whose message states the problem and the required action for the operator. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/**
 * Returns whether a command makes its change. Otherwise prints what the change would be.
 * @throws Failure if `--yes` is required and missing
 */
export async function confirmChange(
  { flags }: Input,
  { print, printStatus }: Tools,
  needsYes: boolean,
  plan: () => string | Promise<string>,
): Promise<boolean> {
  const isDryRun = flags.has('dry-run');
  if (!isDryRun && (!needsYes || flags.has('yes'))) return true;
  print(await plan());
  if (!isDryRun) throw new Failure('Nothing was changed. To make this change, add --yes.');
  printStatus('Dry run: nothing was changed.');
  return false;
}
