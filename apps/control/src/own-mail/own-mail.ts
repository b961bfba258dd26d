// A mail of the installation itself. Types only.

export interface OwnMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
