import type { Problem } from '#contract/problem.ts';
import type { RosterImport } from '#contract/roster.ts';
import { ApiError, problemOf } from '#web/platform/api.ts';

/**
 * Uses XMLHttpRequest, because `fetch` does not report the progress of an upload.
 * @param onProgress receives the share that was sent, 0 to 1
 * @throws ApiError; DOMException if the signal is aborted
 */
export const uploadFile = (
  file: File,
  { onProgress, signal }: { onProgress: (share: number) => void; signal: AbortSignal },
): Promise<RosterImport> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/staff/roster/imports?name=${encodeURIComponent(file.name.slice(0, 200))}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener('error', () => reject(new ApiError(problemOf(null))));
    request.addEventListener('load', () => {
      const { response } = request as { response: unknown };
      if (request.status === 200) resolve(response as RosterImport);
      else reject(new ApiError((response as Problem | null) ?? problemOf(null)));
    });
    signal.addEventListener('abort', () => {
      request.abort();
      reject(new DOMException('The upload was cancelled.', 'AbortError'));
    });
    request.send(file);
  });
