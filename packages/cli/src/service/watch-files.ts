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
  let watched = files
  let marks = marksOf(files)
  let timer: NodeJS.Timeout | undefined
  const folders = new Map<string, FSWatcher>()

  const look = () => {
    timer = undefined
    const now = marksOf(watched)
    if (now === marks) return
    marks = now
    changed()
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
    watched = next
    marks = marksOf(next)
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
function marksOf(files: readonly string[]): string {
  return files
    .map(file => {
      const found = statSync(file, { throwIfNoEntry: false, bigint: true })
      return found === undefined ? 'none' : `${found.ino}:${found.size}:${found.mtimeNs}`
    })
    .join()
}
