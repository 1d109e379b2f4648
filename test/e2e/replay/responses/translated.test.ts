import { describe, expect, it } from 'vitest'
import { counted } from '../counted.ts'
import { present, skipped } from '../exchanges.ts'
import { comparedAll, outcomesOf, targets, translatingTo } from '../translated.ts'
import { exchanges } from './exchanges.ts'
import { compareRequests } from './same-request.ts'

const unsupported = (what: string, why: string) =>
  `Unsupported value: '${what}' is not supported with this model. ${why}`
const noFile = (what: string) =>
  `Unsupported value: '${what}' has no 'file_data', and this model takes files as data only. Send it as a data URL: 'data:application/pdf;base64,...'.`
const link = (what: string) =>
  `Unsupported value: '${what}' is a link, and this model takes images as data only. Send it as a data URL: 'data:image/png;base64,...'.`
const audio = (what: string, taken: string) =>
  `Unsupported value: '${what}.file_data' is of type 'audio/mpeg'. This model takes ${taken}.`
const fileOfAccount = (what: string) =>
  `Unsupported value: '${what}.file_id'. Files are stored in an account that callers share: send the data or a URL instead.`
const [content, output] = ['input[].content[]', 'input[].output[]']

/** Refused for every vendor. Calls are missing where a vendor had the start of the conversation. */
const always = {
  [unsupported('tools[].type', 'This model has no tool of this type that its vendor runs.')]: 13,
  [unsupported('input[]', 'Only the vendor that shortened the conversation can read it.')]: 4,
  'No tool call found for function call output with call_id CALL.': 3,
  [fileOfAccount(content)]: 2,
  [fileOfAccount(output)]: 2,
  "Item with id 'IMAGE' not found.": 1,
  "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.": 1,
}

/** Refused for each vendor but those of chat completions. */
const elsewhere = {
  ...always,
  "Unsupported parameter: 'tools[]' is not supported with this model.": 11,
  [noFile(content)]: 3,
  [noFile(output)]: 2,
  "Unsupported parameter: 'top_logprobs' is not supported with this model.": 2,
}

const beginning =
  "Unsupported value: 'input[]' begins the conversation, and this model takes only conversations that begin with the user."
const claudeFiles = 'PDF and text'
const converseFiles = 'PDF, text, CSV, HTML, Markdown, Word and Excel'

/** The outcomes of the requests: `sent`, or the message of the refusal. */
const expected: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  chat: {
    ...always,
    sent: 190,
    [unsupported('tools[].filters', 'The search of this vendor cannot be limited so.')]: 1,
    [unsupported('tools[].external_web_access', 'The search of this vendor cannot be limited so.')]: 1,
    [unsupported(content, 'This model takes files as data or by id.')]: 3,
    [unsupported(output, 'This model takes files as data or by id.')]: 2,
  },
  anthropic: {
    ...elsewhere,
    sent: 171,
    [beginning]: 5,
    "Unsupported parameter: 'tool_choice' is not supported with this model. Leave out 'reasoning.effort' to force a tool: this model does not think then.": 1,
    [audio(content, claudeFiles)]: 1,
    [audio(output, claudeFiles)]: 1,
  },
  gemini: {
    ...elsewhere,
    sent: 171,
    "Unsupported value: 'input[]' calls tools before the user has said anything, and this model takes calls only after a message of the user.": 5,
    [link(`${content}.image_url`)]: 2,
    [link(`${output}.image_url`)]: 1,
  },
  bedrock: {
    ...elsewhere,
    sent: 169,
    [beginning]: 5,
    [link(`${content}.image_url`)]: 2,
    [link(`${output}.image_url`)]: 1,
    [audio(content, converseFiles)]: 1,
    [audio(output, converseFiles)]: 1,
  },
}

describe.skipIf(!present)(
  `recorded requests in the Responses API to vendors of other protocols ${skipped}`,
  () => {
    it.each(Object.keys(expected))('reach %s, or are refused with a reason', async family => {
      const translate = translatingTo(targets[family]!, '/responses')
      const outcomes = (await outcomesOf(translate, exchanges)).map(each =>
        each.replace(/call_[\w-]+\.$/, 'CALL.').replace(/'ig_\w+'/, "'IMAGE'"),
      )
      expect(counted(outcomes)).toEqual(expected[family])
    })

    it('come back the same from a translation to chat completions, but for known losses', async () => {
      const translate = translatingTo(targets.chat!, '/responses')
      const { known, unknown } = await comparedAll(translate, exchanges, compareRequests)
      expect(unknown).toEqual([])
      expect(counted(known)).toMatchInlineSnapshot(`
        {
          "a namespace: functions with its name": 1,
          "a summary that was asked for: left out": 4,
          "a tool that does not say whether it is strict: strict if it can be": 10,
          "a tool that was found again: once": 12,
          "additional_tools: among the tools": 11,
          "an empty text: left out": 3,
          "context_management dropped: not known to this vendor": 6,
          "defer_loading of a tool: dropped": 59,
          "input[] dropped: what a tool of another vendor did is for that vendor": 22,
          "input[].content mapped: moved before the tool calls": 1,
          "input[].encrypted_content dropped: only the vendor that made it can read it": 39,
          "input[].output[] mapped: sent in a message of the user after the results": 3,
          "moderation dropped: not known to this vendor": 3,
          "provider dropped: not known to this vendor": 1,
          "reasoning.context dropped: not known to this vendor": 28,
          "reasoning.mode dropped: not known to this vendor": 1,
          "tool_choice without functions: left out": 9,
          "tool_search_call: a call of the function": 12,
          "tool_search_output: the names of its tools": 11,
          "tools[] dropped: this model has no tool of this type that its vendor runs": 29,
          "truncation dropped: not known to this vendor": 1,
        }
      `)
    })
  },
)
