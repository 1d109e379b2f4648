import { join } from 'node:path'
import { expect, it } from 'vitest'
import { losses } from '../../packages/core/src/dialects/messages/losses.ts'
import { lossesTable } from './messages/losses-table.ts'
import { readPage, root } from './runner/markdown.ts'

const page = 'docs/messages.md'

it('shows the table as the code makes it (vitest run -u writes it)', async () => {
  const { text, reported } = await lossesTable()
  const written = readPage(page).replace(
    /(<!-- table: losses -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}\n${text}\n\n${end}`,
  )
  expect(written).toContain(text)
  await expect(written).toMatchFileSnapshot(join(root, page))
  // Each loss that the Messages API has is in the table.
  for (const [name, { why }] of Object.entries(losses)) {
    const kind = name === 'unknownBlock' ? 'this model takes no blocks of type' : why
    const isReported = reported.some(told => told.toLowerCase().includes(kind.toLowerCase()))
    expect(isReported, `no example for ${name}`).toBe(true)
  }
})
