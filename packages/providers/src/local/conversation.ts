import { hash } from './hash.ts'
import type { Prompt } from './prompt.ts'

const introduction =
  'I am a stand-in that is not a language model: I work without one and can only answer from your own words.'

/**
 * Keeps a conversation going with the user's own words. On first contact it says what it is. The same
 * prompt gives the same text; `variant` (the choice's index) changes the wording.
 */
export function converse(prompt: Prompt, variant: number): string {
  const parts = [prompt.firstContact ? introduction : '', unseen(prompt.otherParts), reflect(prompt, variant)]
  return parts.filter(part => part !== '').join(' ')
}

function reflect(prompt: Prompt, variant: number): string {
  const text = prompt.text.trimStart().slice(0, 2_000).trim().replace(/\s+/g, ' ')
  if (text === '') return prompt.otherParts.length > 0 ? '' : 'You have said nothing yet.'
  if (
    /\b(?:who|what) are you\b|\bare you (?:an? )?(?:ai|real|human|person|robot|bot|language model|llm)\b/i.test(
      text.slice(0, 300),
    )
  ) {
    return prompt.firstContact
      ? 'Ask me for a calculation, a date, or something to count or find in a text.'
      : introduction
  }
  const greeting = /^(?:hello|hi|hey|good (?:morning|afternoon|evening)|greetings)\b[^a-z]*$/i.test(
    text.slice(0, 40),
  )
  if (greeting)
    return pick(
      [
        'Hello! What would you like to talk about?',
        'Hello to you. What is on your mind?',
        'Good to hear from you. What is it about?',
      ],
      text,
      variant,
    )
  const words = text.split(' ')
  const said = words.slice(0, 30).join(' ').slice(0, 240)
  const quoted = said.length < text.length ? `${said} ...` : said
  if (/\?$/.test(text)) {
    return pick(
      [
        `You asked: "${quoted}" I do not know the answer.`,
        `Your question was: "${quoted}" It is more than I can answer.`,
        `"${quoted}" is a question I have no answer to.`,
      ],
      text,
      variant,
    )
  }
  const earlier = prompt.earlier?.slice(0, 500).trim().replace(/\s+/g, ' ').slice(0, 80)
  const mirrored = /^(?:i|i'm|i've|my|we|our)\b/i.test(said) && words.length <= 30 ? mirror(said) : undefined
  if (mirrored)
    return pick(
      [
        `So ${mirrored}. Tell me more.`,
        `I hear that ${mirrored}. Why is that?`,
        `You say that ${mirrored}. And then?`,
      ],
      text,
      variant,
    )
  const about = pick(
    [`You said: "${quoted}"`, `What I read is: "${quoted}"`, `These were your words: "${quoted}"`],
    text,
    variant,
  )
  return earlier && prompt.firstContact === false ? `${about} Before that you said: "${earlier}"` : about
}

const mirrors: Readonly<Record<string, string>> = {
  i: 'you',
  "i'm": 'you are',
  "i've": 'you have',
  "i'll": 'you will',
  "i'd": 'you would',
  am: 'are',
  me: 'you',
  my: 'your',
  mine: 'yours',
  myself: 'yourself',
  we: 'you',
  our: 'your',
  us: 'you',
}

function mirror(said: string): string {
  return said
    .replace(/[.!]+$/, '')
    .split(' ')
    .map((word, at) => {
      const [, bare = '', mark = ''] = /^([\w']+)(\W*)$/.exec(word) ?? []
      const turned = Object.hasOwn(mirrors, bare.toLowerCase()) ? mirrors[bare.toLowerCase()] : undefined
      if (turned !== undefined) return turned + mark
      return at === 0 ? word.charAt(0).toLowerCase() + word.slice(1) : word
    })
    .join(' ')
}

function unseen(parts: readonly string[]): string {
  if (parts.length === 0) return ''
  const counts = new Map<string, number>()
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1)
  const listed = [...counts].map(([part, count]) => {
    const name =
      { image_url: 'image', input_audio: 'audio clip', file: 'file' }[part] ?? 'part of another kind'
    return `${count} ${name}${count === 1 ? '' : 's'}`
  })
  return `You sent ${listed.join(' and ')}, which I cannot look at or listen to.`
}

function pick(texts: readonly [string, ...string[]], text: string, variant: number): string {
  return texts[(hash(text) + variant) % texts.length] ?? texts[0]
}
