const exitMs = 5_000

/**
 * Stops something on the first SIGTERM or SIGINT; a second one ends the process, as without a handler. When
 * `stop` is done, the process ends by itself, or after 5 seconds where something else keeps it alive.
 * Returns how to take the handlers back.
 */
export function onStopSignal(stop: () => Promise<void>): () => void {
  const removeHandlers = () => {
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
  }
  const onSignal = () => {
    removeHandlers()
    const exit = () => setTimeout(() => process.exit(), exitMs).unref()
    stop().then(exit, exit)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return removeHandlers
}
