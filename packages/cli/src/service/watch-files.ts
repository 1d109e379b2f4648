import { type BigIntStats, type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Watches files for changes. */
export interface FileWatch {
  /** Watches these from now on. */
  follow(files: readonly string[]): void
  close(): void
}

/**
 * Editors write a file in several steps, or put another one in its place: all of it is one change, which is over when the
 * files stay the same for so long.
 */
const settleMs = 100

/** How often a folder is looked for that was removed. */
const absentMs = 1_000

/**
 * Calls `changed` when one of the files is another than before. Folders are watched, not files: editors and Kubernetes
 * put new ones in their place. A folder that is removed is watched again when it is back. `failed` is called once, where
 * changes cannot be seen, or no more.
 */
export function watchFiles(files: readonly string[], changed: () => void, failed: () => void): FileWatch {
  let marks = marksOf(files)
  let lastSeen = marks
  let timer: NodeJS.Timeout | undefined
  const folders = new Map<string, { readonly watcher: FSWatcher; readonly mark: string }>()
  let absent: NodeJS.Timeout | undefined

  /** Other files of the folder may change all the time, such as a database: what is waited for is that ours do not. */
  const look = () => {
    timer = undefined
    const now = marksOf([...marks.keys()])
    const settles = !isSame(now, lastSeen)
    lastSeen = now
    if (settles) {
      timer = setTimeout(look, settleMs)
      return
    }
    watchFolders()
    if (isSame(now, marks)) return
    marks = now
    changed()
  }
  const schedule = () => {
    timer ??= setTimeout(look, settleMs)
  }
  const close = () => {
    clearTimeout(timer)
    clearTimeout(absent)
    for (const { watcher } of folders.values()) watcher.close()
    folders.clear()
  }
  const lost = () => {
    close()
    failed()
  }
  const lookForFolders = () => {
    absent = undefined
    watchFolders()
    schedule()
  }
  /** Folders that are needed, there, and the same as when they were last seen. */
  const watchFolders = () => {
    const needed = new Map([...marks.keys()].map(file => [dirname(file), folderMarkOf(dirname(file))]))
    for (const [name, { watcher, mark }] of folders) {
      if (needed.get(name) === mark) continue
      watcher.close()
      folders.delete(name)
    }
    for (const [name, mark] of needed) {
      if (folders.has(name)) continue
      if (mark === 'none') {
        absent ??= setTimeout(lookForFolders, absentMs).unref()
        continue
      }
      try {
        folders.set(name, { watcher: watch(name, { persistent: false }, schedule).on('error', lost), mark })
      } catch {
        return lost()
      }
    }
  }
  const follow = (next: readonly string[]) => {
    // A change since the last check is still to be reported.
    marks = new Map(next.map(file => [file, marks.get(file) ?? markOf(file)]))
    watchFolders()
  }
  follow(files)
  return { follow, close }
}

function marksOf(files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(files.map(file => [file, markOf(file)]))
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([file, mark]) => other.get(file) === mark)
}

/** What tells a file from another in its place; of one that is not there, that it is not. */
function markOf(file: string): string {
  return marked(file, ({ ino, size, mtimeNs }) => `${ino}:${size}:${mtimeNs}`)
}

/** What is in a folder does not change it. */
function folderMarkOf(folder: string): string {
  return marked(folder, ({ dev, ino, birthtimeNs }) => `${dev}:${ino}:${birthtimeNs}`)
}

function marked(path: string, mark: (found: BigIntStats) => string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? 'none' : mark(found)
  } catch {
    return 'hidden'
  }
}
