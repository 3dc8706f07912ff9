import { Failure } from './command.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free disk space, or name a path on another disk.',
  EDQUOT: 'the disk quota of this user is used up. Free disk space, or name a path on another disk.',
  EFBIG: 'the file system does not allow files of this size. Name a path on another file system.',
  EACCES: 'permission denied. Change the permissions, or name another path.',
  EPERM: 'permission denied. Change the permissions, or name another path.',
  EROFS: 'the file system is read-only. Name another path.',
  ENOENT: 'no such file or folder. Create it, or name another path.',
  ENOTDIR: 'a part of the path is not a folder. Name another path.',
  EISDIR: 'it is a folder. Name a file.',
  EPIPE: 'the program that reads the output has exited.',
  EIO: 'the disk reports an input/output error. Check the disk, or name a path on another disk.',
};

/**
 * Returns a Failure with a sentence for the operator in place of a file system error. Returns any other error
 * unchanged.
 * @param what the first part of the sentence, e.g. `FILE cannot be read`
 */
export function describeFileError(error: unknown, what: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  return reason === undefined ? error : new Failure(`${what}: ${reason}`, { cause: error });
}
