// Notifications from Postgres. In: channels. Out: calls, again after every loss of the connection.
// Never promises delivery: what was sent while the connection was down is lost, so a listener must poll as well.
import postgres from "postgres";

export type ListenOptions = {
  readonly connectionString: string;
  readonly channels: readonly string[];
  readonly onNotify: (channel: string, payload: string) => void;
  /** The connection was lost and stands again: whatever was notified meanwhile has been missed. */
  readonly onReconnect?: () => void;
  readonly applicationName?: string;
};

export type Listening = { close(): Promise<void> };

/** Resolves when all channels are listened to; rejects when the first connection fails. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const sql = postgres(options.connectionString, {
    max: 1,
    connect_timeout: 5,
    keep_alive: 5,
    // Its default backs off to 20 s, which is longer than a service may need to come back.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 1) * (0.5 + Math.random() / 2),
    onnotice: () => {},
    connection: { application_name: options.applicationName ?? "plinth listen" },
  });
  let established = false;
  let announced = false;
  // One call for a reconnect, however many channels come back with it.
  const announce = (): void => {
    if (!established || announced) return;
    announced = true;
    setImmediate(() => {
      announced = false;
      options.onReconnect?.();
    });
  };
  try {
    await Promise.all(
      options.channels.map((channel) => sql.listen(channel, (payload) => options.onNotify(channel, payload), announce)),
    );
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
  established = true;
  return { close: () => sql.end({ timeout: 1 }) };
}
