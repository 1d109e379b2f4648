import type { Script } from '../families/family.ts'

/** A picture of one pixel, as base64 of a PNG. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** What the vendors of the client tests say. The text of the user chooses. */
export const script: Script = ({ text, results, tools, wantsJson, media }) => {
  if (results.length > 0) return { text: `the tools said ${results.join(' and ')}` }
  if (wantsJson) {
    const person = { name: 'Ada', age: 36 }
    return tools.length === 0
      ? { text: JSON.stringify(person) }
      : { calls: [{ id: 'call_1', name: tools[0]!, input: person }] }
  }
  if (text.includes('two tools')) {
    return {
      text: 'I look at both.',
      calls: [
        { id: 'call_1', name: tools[0]!, input: { city: 'Paris' } },
        { id: 'call_2', name: tools[0]!, input: { city: 'Rome', days: [1, 2] } },
      ],
    }
  }
  if (tools.length > 0 && text.includes('weather')) {
    return { calls: [{ id: 'call_1', name: tools[0]!, input: { city: 'Paris' } }] }
  }
  if (text.includes('think')) {
    return { thought: { text: 'The user wants thought.', signature: 'c2lnbmVk' }, text: 'I thought.' }
  }
  if (text.includes('refuse me')) return { error: { status: 400, message: 'The vendor refuses this.' } }
  if (text.includes('too much')) {
    return { error: { status: 429, message: 'Too many requests.', headers: { 'retry-after': '1' } } }
  }
  if (text.includes('break off')) return { text: 'one two three four five six seven', cutAfter: 400 }
  if (media.length > 0) return { text: `saw ${media.join(', ')}` }
  return { text: `heard ${text}` }
}
