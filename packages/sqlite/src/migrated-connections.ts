import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { temporaryFile } from './temporary-file.ts'

/** For tests: functions that open a new database, by where it is. `onFinished` gets what closes and deletes it. */
export function migratedConnections(onFinished: (end: () => void | Promise<void>) => void) {
  const opened = async (url: string): Promise<Connection> => {
    const connection = await Connection.open(url)
    onFinished(() => connection.close())
    await connection.useWriteAheadLog()
    await migrate(connection)
    return connection
  }
  return {
    'a file': async () => {
      const { url, remove } = await temporaryFile()
      onFinished(remove)
      return opened(url)
    },
    memory: () => opened(':memory:'),
  }
}
