import { describe, expect, it } from 'vitest'
import { counted } from '../counted.ts'
import { present, skipped } from '../exchanges.ts'
import { comparedAll, outcomesOf, targets, translatingTo } from '../translated.ts'
import { exchanges } from './exchanges.ts'
import { compareRequests } from './same-request.ts'

const requests = exchanges.filter(({ path }) => path === '/messages')

const hosted =
  "tools.0: Unsupported value: 'tools[]' is not supported with this model. This model has no tool of this type that its vendor runs."
const noSearch = "tools.0: Unsupported parameter: 'tools[]' is not supported with this model."
const servers =
  "mcp_servers: Unsupported parameter: 'mcp_servers' is not supported with this model. Not known to this vendor."
const link =
  "messages.0.content.0.source: Unsupported value: 'messages[].content[].source' is a link, and this model takes images as data only. Send it as a data URL: 'data:image/png;base64,...'."
const beginning =
  "messages.0: Unsupported value: 'messages[]' begins the conversation, and this model takes only conversations that begin with the user."

/** The outcomes of the requests: `sent`, or the message of the refusal. */
const expected: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  chat: { sent: 148, [hosted]: 20, [servers]: 4, [hosted.replace('.0', '.1')]: 2 },
  anthropic: { sent: 141, [hosted]: 20, [noSearch]: 8, [servers]: 4, [beginning]: 1 },
  gemini: { sent: 141, [hosted]: 20, [noSearch]: 8, [servers]: 4, [link]: 1 },
  bedrock: { sent: 140, [hosted]: 20, [noSearch]: 8, [servers]: 4, [beginning]: 1, [link]: 1 },
}

describe.skipIf(!present)(
  `recorded requests in the Messages API to vendors of other protocols ${skipped}`,
  () => {
    it.each(Object.keys(expected))('reach %s, or are refused with a reason', async family => {
      const translate = translatingTo(targets[family]!)
      const outcomes = await outcomesOf(translate, requests)
      expect(counted(outcomes)).toEqual(expected[family])
    })

    it('come back the same from a translation to their own protocol, but for known losses', async () => {
      const translate = translatingTo(targets.anthropic!)
      const { known, unknown } = await comparedAll(translate, requests, compareRequests)
      expect(unknown).toEqual([])
      expect(counted(known)).toMatchInlineSnapshot(`
        {
          "a blank text: dropped": 1,
          "a document of text: its text": 1,
          "an id of two calls: made unique": 2,
          "cache_control of the request: on its last block": 5,
          "compaction: its text": 1,
          "context_management dropped: not known to this vendor": 1,
          "defer_loading of a tool: dropped": 79,
          "messages[].content[] dropped: this model takes no blocks of type server_tool_use": 7,
          "messages[].content[] dropped: this model takes no blocks of type tool_addition": 8,
          "messages[].content[] dropped: this model takes no blocks of type tool_search_tool_result": 6,
          "messages[].content[].citations dropped: this model cites no documents in this way": 1,
          "output_config.effort mapped: effort max: this model has no xhigh": 1,
          "output_config.effort without thinking: thinking that is adaptive": 2,
          "tool_reference: its text": 27,
          "tools[] dropped: this model has no tool of this type that its vendor runs": 33,
          "tools[] mapped: a function with the same parameters": 2,
        }
      `)
    })
  },
)
