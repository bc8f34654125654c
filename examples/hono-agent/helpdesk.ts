import { randomUUID } from 'node:crypto';

export interface Ticket {
  readonly ticket_id: string;
  readonly subject: string;
  readonly priority: string;
}

/** Where tickets go. */
export interface Helpdesk {
  open(subject: string, priority: string): Ticket;
}

const tickets: Ticket[] = [];

/** The one that people look at. */
export const helpdesk: Helpdesk = {
  open(subject, priority) {
    const ticket = newTicket(subject, priority);
    tickets.push(ticket);
    return ticket;
  },
};

/** Answers as the real one does, and nobody is called out of bed. */
export const sandbox: Helpdesk = { open: newTicket };

function newTicket(subject: string, priority: string): Ticket {
  return { ticket_id: `tk_${randomUUID()}`, subject, priority };
}
