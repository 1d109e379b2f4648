import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Check, describePage } from './runner/describe-page.ts'
import { showsFile, startsFile } from './runner/example-file.ts'
import { root } from './runner/markdown.ts'
import { hasCurl, shell } from './runner/shell.ts'

const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

/** The commands themselves install and build; here only that what they run exists. */
const script: Check = async ({ code }) => {
  const name = /^npx -y pnpm (\w+)\n$/.exec(code)?.[1]
  expect(scripts[name!]).toBeTypeOf('string')
}

const express = 'examples/express-app/minimal.ts'

describePage('README.md', {
  start: script,
  test: script,
  [express]: showsFile,
  'run-express': startsFile(express),

  curl: async ({ code }, snippet) => {
    const server = await snippet(express).run()
    const line = code.replace('http://localhost:3000', await server.url(3000))
    expect(line).not.toBe(code)
    if (hasCurl) expect(await shell(line)).toContain('"content":"12 * 7 = 84"')
  },

  client: async ({ run }, snippet) => {
    const server = await snippet(express).run()
    const url = await server.url(3000)
    const { printed } = await run({}, code => code.replace('http://localhost:3000', url))
    expect(printed).toEqual(['12 * 7 = 84'])
  },
})
