import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ask } from './ask.ts'
import type { Check } from './describe-page.ts'
import { root } from './markdown.ts'

/** A snippet that is a file of `examples`, with the model `demo` on port 3000. Its name is the file. */
export const showsFile: Check = async ({ name, code, run }) => {
  expect(code).toBe(readFileSync(join(root, name), 'utf8'))
  const running = await run()
  const baseURL = `${await running.url(3000)}/v1`
  expect(await ask(baseURL)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
  expect(await ask(baseURL, { stream: true })).toMatchObject({ status: 200, text: '12 * 7 = 84' })
  expect(await ask(baseURL, { key: 'sk-wrong' })).toMatchObject({ status: 401, code: 'invalid_api_key' })
}

/** The command that starts such a file, which the page shows. */
export const startsFile =
  (file: string): Check =>
  async ({ code }, snippet) => {
    expect(code).toBe(`npx -y pnpm exec tsx ${file}\n`)
    expect(snippet(file).code).toContain('listen(3000)')
  }
