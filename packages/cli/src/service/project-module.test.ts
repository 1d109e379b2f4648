import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { projectModule } from './project-module.ts'

describe('projectModule', () => {
  it("gives a package of the project, in the place of this program's own", async () => {
    const folder = temporaryFolder({ 'node_modules/yaml/index.js': 'exports.own = 1' })
    expect(await projectModule('yaml', folder)).toMatchObject({ own: 1 })
    expect(await projectModule('yaml', temporaryFolder())).toHaveProperty('parseDocument')
  })

  it('gives nothing for one that is not installed, and its own failure for one that cannot be loaded', async () => {
    const folder = temporaryFolder({ 'node_modules/broken/index.js': 'throw new Error("broken")' })
    expect(await projectModule('no-such-package', folder)).toBeUndefined()
    await expect(projectModule('broken', folder)).rejects.toThrow('broken')
  })
})
