import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A place for a database of a test. */
export interface TemporaryFile {
  readonly url: string
  readonly path: string
  readonly folder: string
  /** Takes it away, with its folder. */
  remove(): Promise<void>
}

/** A file that is not there yet, in a folder of its own. */
export async function temporaryFile(): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-sqlite-'))
  const path = join(folder, 'sluice.db')
  return { url: `file:${path}`, path, folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
