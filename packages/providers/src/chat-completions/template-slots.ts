/** A value that differs between responses, and its position in the JSON text. */
export type Slot = {
  /** The offset at which it begins; of a string, after its quote. */
  readonly start: number
  readonly end: number
} & (
  | {
      /** `content`: the text of the choice. `text`: an unused string, such as an id. */
      readonly kind: 'content' | 'text'
    }
  | {
      readonly kind: 'number'
      /** Its name in `usage`; `undefined` for one that nobody reads, such as a time. */
      readonly name: string | undefined
      /** The object within `usage` that it is in. */
      readonly group: string | undefined
    }
)

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{}]/g

/** An object or array that is open, and where in it the text has come to. */
interface Open {
  keyNext: boolean
  at: string | number
}

/**
 * Finds in the JSON text of a response, which has to be valid, its id and time, the text of its first choice and all
 * numbers of its usage. `undefined` where the text is missing or stands there twice, where a member of the usage is no
 * whole number or has a name that every object has, and where one nests deeper than vendors' do.
 */
export function findSlots(text: string): readonly Slot[] | undefined {
  const slots: Slot[] = []
  const seen = new Set<string>()
  const open: Open[] = []
  for (const { 0: word, index } of text.matchAll(token)) {
    const holder = open.at(-1)
    if (word === '}' || word === ']') {
      open.pop()
    } else if (holder?.keyNext === true) {
      holder.at = JSON.parse(word) as string
      holder.keyNext = false
    } else {
      if (typeof holder?.at === 'number') holder.at++
      else if (holder !== undefined) holder.keyNext = true
      const path = open.map(({ at }) => at)
      const object = word === '{'
      if (object || word === '[') open.push({ keyNext: object, at: object ? '' : -1 })
      const slot = slotAt(path, word, index)
      if (slot === undefined) continue
      const name = JSON.stringify(path)
      if (slot === 'unfit' || seen.has(name)) return undefined
      seen.add(name)
      slots.push(slot)
    }
  }
  return slots.some(({ kind }) => kind === 'content') ? slots : undefined
}

function slotAt(path: readonly (string | number)[], word: string, start: number): Slot | 'unfit' | undefined {
  const [first, second, third] = path
  const end = start + word.length
  const inside = { start: start + 1, end: end - 1 }
  if (first === 'usage' && path.length > 1) {
    if (word === '{' || word === 'null') return undefined
    // Counts are put under their names: none may be one that every object has.
    if (path.length > 3 || !whole.test(word) || path.some(name => name in Object.prototype)) return 'unfit'
    const [group, name] = path.length === 2 ? [undefined, String(second)] : [String(second), String(third)]
    return { kind: 'number', start, end, name, group }
  }
  if (path.length === 1 && first === 'created' && whole.test(word))
    return { kind: 'number', start, end, name: undefined, group: undefined }
  if (!word.startsWith('"')) return undefined
  if (path.length === 1 && first === 'id') return { kind: 'text', ...inside }
  return path.join(' ') === 'choices 0 message content' ? { kind: 'content', ...inside } : undefined
}

const whole = /^(?:0|[1-9]\d{0,14})$/
