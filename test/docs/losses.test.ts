import { join } from 'node:path'
import { expect, it } from 'vitest'
import { losses as messagesLosses } from '../../packages/core/src/dialects/messages/losses.ts'
import { losses as responsesLosses } from '../../packages/core/src/dialects/responses/losses.ts'
import { lossesTable } from './losses/losses-table.ts'
import { messagesExamples } from './losses/messages-examples.ts'
import { responsesExamples } from './losses/responses-examples.ts'
import { readPage, root } from './runner/markdown.ts'

/** What is reported of a type that the gateway does not know begins so. */
const ofTypes: Readonly<Record<string, string>> = {
  unknownBlock: 'this model takes no blocks of type',
  unknownItem: 'this model takes no items of type',
  unknownPart: 'this model takes no parts of type',
}

it.each([
  ['docs/messages.md', messagesExamples, messagesLosses],
  ['docs/responses.md', responsesExamples, responsesLosses],
] as const)(
  '%s shows the table as the code makes it (vitest run -u writes it)',
  async (page, examples, losses) => {
    const { text, reported } = await lossesTable(examples)
    const written = readPage(page).replace(
      /(<!-- table: losses -->\n)[\s\S]*?(<!-- end -->)/,
      (_, begin: string, end: string) => `${begin}\n${text}\n\n${end}`,
    )
    expect(written).toContain(text)
    await expect(written).toMatchFileSnapshot(join(root, page))
    // Each loss that the dialect has is in the table.
    for (const [name, { why }] of Object.entries(losses)) {
      const kind = ofTypes[name] ?? why
      const isReported = reported.some(told => told.toLowerCase().includes(kind.toLowerCase()))
      expect(isReported, `no example for ${name}`).toBe(true)
    }
  },
)
