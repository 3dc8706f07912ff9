import { Failure } from './command.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no room left. Free some, or name another place.',
  EDQUOT: 'there is no room left for this user. Free some, or name another place.',
  EFBIG: 'files cannot be that large there. Name another place.',
  EACCES: 'this user may not. Change the rights, or name another place.',
  EPERM: 'this user may not. Change the rights, or name another place.',
  EROFS: 'it can only be read. Name another place.',
  ENOENT: 'there is no such folder or file. Make it, or name another one.',
  ENOTDIR: 'a part of the path is no folder. Name another place.',
  EISDIR: 'it is a folder. Name a file.',
  EPIPE: 'the program that was to take it has ended.',
  EIO: 'the disk does not work. Look at its state, and name another one.',
};

/** An error of the file system's as a sentence for the operator; any other one as it is. @param what e.g. `FILE cannot be read` */
export function inWords(error: unknown, what: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  return reason === undefined ? error : new Failure(`${what}: ${reason}`, { cause: error });
}
