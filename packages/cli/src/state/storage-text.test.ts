import { expect, it } from 'vitest'
import { storageText } from './storage-text.ts'

const devFile = { name: '.sluice/dev.db', url: 'file:///here/.sluice/dev.db' }

it.each([
  [devFile.url, 'node:sqlite', '.sluice/dev.db (keys and usage, by node:sqlite)'],
  ['file:./own.db', '@libsql/client', './own.db (keys and usage, by @libsql/client)'],
  [':memory:', 'node:sqlite', 'memory (keys and usage are lost when it stops, by node:sqlite)'],
  ['postgres://u:secret@host/db', undefined, 'PostgreSQL (keys and usage, by pg)'],
])('says where %s is', (database, library, text) => {
  expect(storageText({ database, devFile, library })).toBe(text)
})

it('says why nothing is stored, and what to do', () => {
  const text = storageText({ database: undefined, devFile, library: undefined })
  expect(text).toMatch(/^memory .*Node\.js 22\.13.*npm install @libsql\/client$/)
  expect(storageText({ database: undefined, library: 'node:sqlite' })).toMatch(/^memory .*state\.database$/)
})
