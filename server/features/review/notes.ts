import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { ReviewNote } from '#contract/staff/review.ts';
import type { Db } from '#server/db/client.ts';
import type { ItemKey } from './leases.ts';
import { staffNameSql } from './queue.ts';

export async function findNotes(
  db: Db,
  { kind, id }: ItemKey,
  readerId: string,
  noteId: string | null = null,
): Promise<z.input<typeof ReviewNote>[]> {
  const { rows } = await sql<z.input<typeof ReviewNote>>`
    select n.id, ${staffNameSql('a')} as by, n.author_id = ${readerId} as "isOwn", n.created_at as "createdAt", n.text
    from review_notes n join accounts a on a.id = n.author_id
    where n.kind = ${kind} and n.item_id = ${id} and (${noteId}::uuid is null or n.id = ${noteId}::uuid)
    order by n.created_at, n.id`.execute(db);
  return rows;
}

/** @param about the account that the item is about: the note is deleted with it */
export async function addNote(
  db: Db,
  { kind, id, about, authorId, text }: ItemKey & NewNote,
): Promise<z.input<typeof ReviewNote>> {
  const { id: noteId } = await db
    .insertInto('review_notes')
    .values({ kind, item_id: id, about, author_id: authorId, text })
    .returning('id')
    .executeTakeFirstOrThrow();
  const [note] = await findNotes(db, { kind, id }, authorId, noteId);
  if (!note) throw new Error('The note was not stored.');
  return note;
}

interface NewNote {
  readonly about: string | null;
  readonly authorId: string;
  readonly text: string;
}
