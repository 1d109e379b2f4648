import { readdirSync, type Stats, statSync } from 'node:fs'
import { access, constants, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, type Owner } from './owner.ts'
import { ignoreMissing, Segment } from './segment.ts'
import { parseSegmentName, type SegmentName } from './segment-name.ts'

/** How many bytes journals that have ended left in a folder; 0 where it cannot be read. */
export function orphanBytes(folder: string, owner: Owner): number {
  try {
    return segmentsOfOthers(readdirSync(folder), owner)
      .map(({ file, name }) => ({ name, found: statSync(join(folder, file), { throwIfNoEntry: false }) }))
      .reduce((sum, { name, found }) => sum + (found && isOrphan(name, found, owner) ? found.size : 0), 0)
  } catch {
    return 0
  }
}

/**
 * Takes over what journals that have ended left. Where two processes want the same segment, one gets it. `serial` gives
 * a fresh number for each.
 */
export async function takeOverOrphans(
  folder: string,
  owner: Owner,
  serial: () => number,
): Promise<Segment[]> {
  const files = (await readdir(folder).catch(ignoreMissing)) ?? []
  const taken: Segment[] = []
  for (const { file, name } of segmentsOfOthers(files, owner)) {
    const path = join(folder, file)
    const found = await stat(path).catch(ignoreMissing)
    if (found === undefined || !isOrphan(name, found, owner) || !(await isReadable(path))) continue
    const renamed = { ...owner, madeAt: name.madeAt, serial: serial() }
    const segment = new Segment(folder, renamed, 0)
    try {
      await rename(path, segment.path)
      segment.size = (await stat(segment.path)).size
    } catch (error) {
      ignoreMissing(error)
      continue
    }
    taken.push(segment)
  }
  return taken
}

function segmentsOfOthers(files: readonly string[], owner: Owner): { file: string; name: SegmentName }[] {
  return files.flatMap(file => {
    const name = parseSegmentName(file)
    return name === undefined || name.journal === owner.journal ? [] : [{ file, name }]
  })
}

function isOrphan(name: SegmentName, { mtimeMs }: Stats, owner: Owner): boolean {
  return !isAlive(name, owner, Date.now() - mtimeMs)
}

/** Another account's segment is left to it. */
function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}
