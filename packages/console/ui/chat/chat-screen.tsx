import { useSession } from '../session/session.ts'
import { useStore } from '../state/use-store.ts'
import { openCalls } from './chat.ts'
import { ChatSettings } from './chat-settings.tsx'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { ExchangePanel } from './exchange-panel.tsx'
import { OpenRequest } from './open-request.tsx'
import { toolProblem } from './tool-problem.ts'

/** A conversation with one model, or with two side by side, beside what goes over the wire for it. */
export function ChatScreen() {
  const { chat } = useSession()
  const { sides, options, draft, images } = useStore(chat.state)
  const compares = sides.length > 1
  const waits = sides.some(side => !side.running && openCalls(side).length > 0)
  return (
    <>
      <section class={compares ? 'chat comparing' : 'chat'} aria-label="Conversation">
        <h1 class="hidden">Chat</h1>
        <ChatSettings options={options} models={sides.map(({ model }) => model)} />
        <OpenRequest />
        <div class="chat-sides">
          {sides.map((side, at) => (
            <Conversation
              key={at}
              side={side}
              named={compares}
              onResults={results => void chat.sendResults(at, results)}
            />
          ))}
        </div>
        <Composer
          draft={draft}
          images={images}
          running={sides.some(({ running }) => running)}
          begun={sides.some(({ turns }) => turns.length > 0)}
          problem={
            toolProblem(options.tools) ??
            (waits ? 'The answer waits for the results of its tool calls.' : undefined)
          }
        />
      </section>
      <ExchangePanel sides={sides} />
    </>
  )
}
