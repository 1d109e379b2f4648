import type { Session } from '../session/session.ts'
import { hrefOf, searchOf } from './location.ts'
import { applyTheme } from './theme.ts'
import { viewNames, viewsOf } from './view-names.ts'

/** Something that the command palette does. */
export interface Command {
  readonly id: string
  readonly group: 'Views' | 'Requests' | 'Models' | 'Console'
  readonly text: string
  run(): void
}

/** So many are shown: more would not be read. */
const maxCommands = 12

/** The commands for a text, the best first. `typed` empty: views and settings. */
export function commandsFor(typed: string, session: Session, onHelp: () => void): readonly Command[] {
  const text = typed.trim()
  const known = fixedCommands(session, onHelp)
  if (text === '') return known.filter(({ group }) => group !== 'Models').slice(0, maxCommands)
  const words = text.toLowerCase().split(/\s+/)
  const found = known.filter(command => {
    const all = command.text.toLowerCase()
    return words.every(word => all.includes(word))
  })
  return [...found.slice(0, maxCommands - 2), ...requestCommands(text, session)]
}

function goTo(href: string): () => void {
  return () => {
    location.hash = href
  }
}

function fixedCommands({ about, chat, signOut }: Session, onHelp: () => void): readonly Command[] {
  const ofConsole: readonly (readonly [string, () => void])[] = [
    ['Keyboard shortcuts', onHelp],
    ['Colours of the system', () => applyTheme('auto')],
    ['Light colours', () => applyTheme('light')],
    ['Dark colours', () => applyTheme('dark')],
    ['Sign out', signOut],
  ]
  return [
    ...viewsOf(about).map(view => ({
      id: `view-${view}`,
      group: 'Views' as const,
      text: viewNames[view],
      run: goTo(hrefOf(view)),
    })),
    ...about.models.map((model, at) => ({
      id: `model-${at}`,
      group: 'Models' as const,
      text: `Chat with ${model}`,
      run: () => {
        chat.choose({ model })
        location.hash = hrefOf('chat')
      },
    })),
    ...ofConsole.map(([text, run], at) => ({ id: `console-${at}`, group: 'Console' as const, text, run })),
  ]
}

/** An id of a request leads to it; anything else is searched for. */
function requestCommands(text: string, { about, feed }: Session): readonly Command[] {
  const isLive = feed.state.get().rows?.some(({ id }) => id === text) === true
  const of = (id: string, label: string, href: string): Command => ({
    id,
    group: 'Requests',
    text: label,
    run: goTo(href),
  })
  if (isLive) return [of('request', `Open the request ${text}`, hrefOf('requests', text))]
  if (about.log && /^[\w-]{16,}$/.test(text)) {
    return [of('request', `Open the logged request ${text}`, hrefOf('log', text))]
  }
  return [of('search', `Search requests for “${text}”`, hrefOf('requests', undefined, searchOf({ q: text })))]
}
