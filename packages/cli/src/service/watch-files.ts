import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'

/** How a change of files is told. */
export interface FileWatch {
  /** Watches these from now on. */
  follow(files: readonly string[]): void
  close(): void
}

/** Editors write a file in several steps, or put another one in its place: all of it is one change. */
const settleMs = 100

/**
 * Calls `changed` when one of the files is another than before. Folders are watched, not files: editors and Kubernetes
 * put new ones in their place. `failed` is called once, where changes cannot be seen, or no more.
 */
export function watchFiles(files: readonly string[], changed: () => void, failed: () => void): FileWatch {
  let marks = new Map(files.map(file => [file, markOf(file)]))
  let timer: NodeJS.Timeout | undefined
  const folders = new Map<string, FSWatcher>()

  const look = () => {
    timer = undefined
    const now = new Map([...marks.keys()].map(file => [file, markOf(file)]))
    const isSame = [...now].every(([file, mark]) => marks.get(file) === mark)
    marks = now
    if (!isSame) changed()
  }
  const heard = () => {
    if (timer === undefined) timer = setTimeout(look, settleMs)
    else timer.refresh()
  }
  const close = () => {
    clearTimeout(timer)
    for (const folder of folders.values()) folder.close()
    folders.clear()
  }
  const lost = () => {
    close()
    failed()
  }
  const follow = (next: readonly string[]) => {
    // What has changed since it was looked at is still to be told.
    marks = new Map(next.map(file => [file, marks.get(file) ?? markOf(file)]))
    const needed = new Set(next.map(file => dirname(file)))
    for (const [name, folder] of folders) {
      if (needed.has(name)) continue
      folder.close()
      folders.delete(name)
    }
    for (const name of needed) {
      if (folders.has(name)) continue
      try {
        folders.set(name, watch(name, { persistent: false }, heard).on('error', lost))
      } catch {
        return lost()
      }
    }
  }
  follow(files)
  return { follow, close }
}

/** What tells a file from another in its place; of one that is not there, that it is not. */
function markOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? 'none' : `${found.ino}:${found.size}:${found.mtimeNs}`
}
