import type { Problem } from '#contract/problem.ts';
import { ApiError } from '#web/platform/api.ts';

/**
 * Downloads by script and not by a link, because the server may ask for the password first.
 * @returns the text of the toast
 */
export async function downloadFile(url: string, name: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new ApiError((await response.json()) as Problem);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
  return 'Downloaded. Delete the file when you no longer need it';
}
