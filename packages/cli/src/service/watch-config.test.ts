import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TypedConfig } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { watchConfig } from './watch-config.ts'
import { watchFiles } from './watch-files.ts'

const configOf = (model: string) =>
  JSON.stringify({ providers: { local: {} }, models: { [model]: 'local/x' }, keys: [{ id: 'a', key: 'k' }] })

/** A configuration that is followed: what was taken of it, and what was told. */
async function followed(files: Readonly<Record<string, string>>, options: { readonly watch?: boolean } = {}) {
  const cwd = temporaryFolder(files)
  const taken: string[] = []
  const told: string[] = []
  const context = { cwd, env: {}, log: (text: string) => void told.push(text) }
  const reload = async (config: TypedConfig) => void taken.push(Object.keys(config.models).join())
  const watched = watchConfig({ reload }, await loadConfig(undefined, context), context, options)
  onTestFinished(() => watched.close())
  const file = (name: string) => join(cwd, name)
  return { watched, taken, told, file }
}

describe('watchedConfig', () => {
  it('takes a file that is written, and one that is put in its place', async () => {
    const { taken, file } = await followed({ 'sluice.config.json': configOf('one') })
    writeFileSync(file('sluice.config.json'), configOf('two'))
    await vi.waitFor(() => expect(taken).toEqual(['two']), 5_000)
    writeFileSync(file('.other'), configOf('three'))
    renameSync(file('.other'), file('sluice.config.json'))
    await vi.waitFor(() => expect(taken).toEqual(['two', 'three']), 5_000)
  })

  it('follows what code imports', async () => {
    const { taken, file } = await followed({
      'sluice.config.ts': `import { models } from './conf/models.ts'
        export default { providers: { local: {} }, models, keys: [{ id: 'a', key: 'k' }] }`,
      'conf/models.ts': `export const models = { one: 'local/x' }`,
    })
    writeFileSync(file('conf/models.ts'), `export const models = { two: 'local/x' }`)
    await vi.waitFor(() => expect(taken).toEqual(['two']), 5_000)
  })

  it('tells the faults of a bad file once, keeps what it has, and takes the file when it is mended', async () => {
    const { watched, taken, told, file } = await followed(
      { 'sluice.config.json': configOf('one') },
      { watch: false },
    )
    writeFileSync(file('sluice.config.json'), '{ "models": {}, "serve": 1 }')
    expect(await watched.reload()).toBe(false)
    expect(await watched.reload()).toBe(false)
    expect(told).toEqual([
      expect.stringMatching(
        /has 2 errors:[\s\S]*Did you mean 'server'\?\nThe service keeps its current configuration\.$/,
      ),
    ])
    expect(taken).toEqual([])
    writeFileSync(file('sluice.config.json'), configOf('two'))
    expect(await watched.reload()).toBe(true)
    expect(taken).toEqual(['two'])
    expect(told.at(-1)).toBe('Configuration reloaded.')
  })

  it('reads once more what changes while it is read', async () => {
    const { watched, taken } = await followed({ 'sluice.config.json': configOf('one') }, { watch: false })
    const all = [watched.reload(), watched.reload(), watched.reload()]
    expect(await Promise.all(all)).toEqual([true, true, true])
    expect(taken).toEqual(['one', 'one'])
  })

  it('hears nothing more when it is closed', async () => {
    const { watched, taken, file } = await followed({ 'sluice.config.json': configOf('one') })
    let seen = 0
    const other = watchFiles(
      [file('sluice.config.json')],
      () => seen++,
      () => {},
    )
    onTestFinished(() => other.close())
    await watched.close()
    writeFileSync(file('sluice.config.json'), configOf('two'))
    // Both would have heard of it at the same time.
    await vi.waitFor(() => expect(seen).toBe(1), 5_000)
    expect(await watched.reload()).toBe(false)
    expect(taken).toEqual([])
  })

  it('sees a change while other files of the folder change all the time', async () => {
    const { taken, file } = await followed({ 'sluice.config.json': configOf('one') })
    let count = 0
    const noise = setInterval(() => writeFileSync(file('sluice.db-wal'), String(count++)), 20)
    onTestFinished(() => clearInterval(noise))
    writeFileSync(file('sluice.config.json'), configOf('two'))
    await vi.waitFor(() => expect(taken).toEqual(['two']), 5_000)
  })

  it('follows files in a folder that is removed and made again', async () => {
    const conf = 'conf/models.ts'
    const { taken, told, file } = await followed({
      'sluice.config.ts': `import { models } from './conf/models.ts'
        export default { providers: { local: {} }, models, keys: [{ id: 'a', key: 'k' }] }`,
      [conf]: `export const models = { one: 'local/x' }`,
    })
    rmSync(file('conf'), { recursive: true })
    await vi.waitFor(() => expect(told.at(-1)).toMatch(/Cannot load/), 5_000)
    mkdirSync(file('conf'))
    writeFileSync(file(conf), `export const models = { two: 'local/x' }`)
    await vi.waitFor(() => expect(taken).toEqual(['two']), 5_000)
    writeFileSync(file(conf), `export const models = { three: 'local/x' }`)
    await vi.waitFor(() => expect(taken).toEqual(['two', 'three']), 5_000)
  })

  it('says so where changes cannot be seen any more', async () => {
    const folder = join(temporaryFolder({ 'conf/file': '1' }), 'conf')
    let lost = 0
    const watching = watchFiles(
      [join(folder, 'file')],
      () => {},
      () => lost++,
    )
    onTestFinished(() => watching.close())
    rmSync(folder, { recursive: true })
    // A link to itself: the system refuses to look behind it.
    symlinkSync('conf', folder)
    await vi.waitFor(() => expect(lost).toBe(1), 5_000)
  })
})
