import type { Command } from '../command.ts'
import { onlyPositional, textOf } from '../command-line/arguments.ts'
import { escapeControls } from '../command-line/escape-controls.ts'
import { loadConfig } from '../config/load-config.ts'
import { replayText } from '../replay/replay-text.ts'
import { sendAgain, storedResponse } from '../replay/send-again.ts'
import { findStoredRequest } from '../replay/stored-request.ts'
import { openState } from '../state/open-state.ts'

/** `sluice replay`. */
export const replay: Command = {
  name: 'replay',
  summary: 'sends a stored request again, and compares the responses',
  help: `
Usage: sluice replay REQUEST_ID [options]

  --config FILE     configuration to use. Default: sluice.config.* in this folder
  --json            prints JSON

Needs log.bodies in the configuration, which stores the bodies of requests. The request is sent as hooks have left it, by
the targets of the configuration as it is now, and hooks run again. It costs what a request costs, and is in the ledger as
the principal replay. Exits with 1 if the replayed request fails.

Example: sluice replay req_0123456789abcdef`,
  options: { config: { type: 'string' }, json: { type: 'boolean' } },
  async run(values, positionals, context) {
    const id = onlyPositional('replay', 'the id of one request', positionals)
    const { config } = await loadConfig(textOf(values, 'config'), context)
    const state = await openState(config.state, context, { only: 'database', create: false })
    try {
      const found = await findStoredRequest(id, config, state.database, context)
      const { bodies } = found
      const stored = storedResponse(found)
      const replayed = await sendAgain(found, config, state, context)
      const { at, model, path, stream } = bodies
      context.print(
        values.json === true
          ? escapeControls(JSON.stringify({ at, model, path, stream, stored, replayed }, null, 2))
          : replayText(bodies, stored, replayed),
      )
      return replayed.status < 400 ? 0 : 1
    } finally {
      await state.close()
    }
  },
}
