import { useSession } from '../session/session.ts'
import { useStore } from '../state/use-store.ts'
import { ChatSettings } from './chat-settings.tsx'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { ExchangePanel } from './exchange-panel.tsx'
import { OpenRequest } from './open-request.tsx'

/** A conversation with any model, beside what goes over the wire for it. */
export function ChatView() {
  const { chat } = useSession()
  const { turns, exchange, options, draft, running } = useStore(chat.state)
  return (
    <>
      <section class="chat" aria-label="Conversation">
        <h1 class="hidden">Chat</h1>
        <ChatSettings options={options} onChange={chat.choose} />
        <OpenRequest />
        <Conversation turns={turns} model={options.model} />
        <Composer
          draft={draft}
          running={running}
          begun={turns.length > 0}
          onWrite={chat.write}
          onSend={chat.send}
          onStop={chat.stop}
          onClear={chat.clear}
        />
      </section>
      <ExchangePanel exchange={exchange} last={turns.at(-1)} />
    </>
  )
}
