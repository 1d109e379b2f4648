// What users of a package find on their disk: it, and all that comes with it.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { publicPackages } from './run.mjs'

/** The bytes of a package of ours with its dependencies, but without what users install by themselves (peers). */
export function installedBytes(name, tarballs) {
  const ours = new Map(publicPackages().map(({ folder, manifest }) => [manifest.name, folder]))
  const counted = new Set()
  const count = (name, folder) => {
    if (counted.has(folder)) return 0
    counted.add(folder)
    const own = ours.has(name) ? unpackedBytes(tarballs[name]) : folderBytes(folder)
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return Object.keys(dependencies).reduce(
      (sum, dependency) => sum + count(dependency, found(dependency, folder)),
      own,
    )
  }
  return count(name, ours.get(name))
}

/** Where a package finds its dependency. */
function found(name, from) {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(path)) return realpathSync(path)
  }
  throw new Error(`${name}, which ${from} depends on, is not installed`)
}

function folderBytes(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name)
      return sum + (entry.isDirectory() ? folderBytes(path) : statSync(path).size)
    }, 0)
}

/** Of a tar, each file has a header of 512 bytes, with its size in octal, and is filled up to 512 bytes. */
function unpackedBytes(tarball) {
  const tar = gunzipSync(readFileSync(tarball))
  let sum = 0
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8)
    sum += size
    at += 512 + Math.ceil(size / 512) * 512
  }
  return sum
}
