import { expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { optionalPackage } from './optional-package.ts'

it('names the setting, the package, and the command that installs it', async () => {
  const needed = { setting: 'state.redis', name: 'no-such-client', instead: 'use none' }
  await expect(optionalPackage(needed, temporaryFolder())).rejects.toThrow(
    'state.redis needs the package no-such-client, which is not installed here. Run: npm install no-such-client\nOr use none.',
  )
})

it('names a package that cannot be loaded, with the reason', async () => {
  const load = async () => {
    throw new Error("Cannot find module '@client/linux-x64'.\nRequire stack: ...")
  }
  await expect(optionalPackage({ setting: 'state.redis', name: 'client' }, '.', load)).rejects.toThrow(
    /^state\.redis needs the package client, which cannot be loaded: Cannot find module '@client\/linux-x64'\. Run: npm install client$/,
  )
})

it('takes the entry that is imported', async () => {
  const asked: string[] = []
  const load = async (name: string) => {
    asked.push(name)
    return { found: true }
  }
  const needed = { setting: 'x', name: 'client', entry: 'client/sqlite' }
  expect(await optionalPackage(needed, '.', load)).toEqual({ found: true })
  expect(asked).toEqual(['client/sqlite'])
})
