import { type Check, fail, ok, warn } from './check.ts';

/** Milliseconds that an answer may take. */
const patience = 5_000;

async function statusOf(url: string): Promise<number | Error> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patience), redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    const { cause } = error as Error;
    return cause instanceof Error ? cause : (error as Error);
  }
}

/** Whether the product answers, here and from outside. */
export const runningChecks: readonly Check[] = [
  {
    about: 'product',
    run: async ({ config: { http } }) => {
      const host = http.host === '0.0.0.0' || http.host === '::' ? '127.0.0.1' : http.host;
      const status = await statusOf(`http://${host.includes(':') ? `[${host}]` : host}:${http.port}/healthz`);
      if (status === 200) return ok(`answers at port ${http.port}.`);
      return warn(
        status instanceof Error
          ? `It does not run at port ${http.port}. Start it: npm start`
          : `Something else answers at port ${http.port} (${status}). Set PORT as for the product’s start.`,
      );
    },
  },
  {
    about: 'from outside',
    only: 'online',
    run: async ({ config: { http } }) => {
      const status = await statusOf(`${http.publicUrl}/healthz`);
      if (status === 200) return ok(`${http.publicUrl} answers.`);
      return fail(
        status instanceof Error
          ? `${http.publicUrl} cannot be reached from here: ${status.message}. Look at its name (DNS), certificate and proxy.`
          : `${http.publicUrl} answers ${status}: the proxy does not pass requests on to this product.`,
      );
    },
  },
];
