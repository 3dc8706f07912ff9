export interface Steps {
  /** Runs a step and returns its result. The result's method `stop` or `close`, if any, undoes the step. */
  readonly run: <Result>(name: string, start: () => Promise<Result> | Result) => Promise<Result>;
  readonly undo: () => Promise<void>;
}

interface Stoppable {
  readonly stop?: () => unknown;
  readonly close?: () => unknown;
}

export function createSteps(onError: (error: unknown, name: string) => void): Steps {
  const undos: { readonly name: string; readonly undo: () => unknown }[] = [];
  return {
    run: async (name, start) => {
      const result = await start();
      const { stop, close } = (result ?? {}) as Stoppable;
      const undo = (stop ?? close)?.bind(result);
      if (undo) undos.unshift({ name, undo });
      return result;
    },
    undo: async () => {
      for (const { name, undo } of undos.splice(0)) {
        try {
          await undo();
        } catch (error) {
          onError(error, name);
        }
      }
    },
  };
}
