"""Random interleaved transactions, said to a real PostgreSQL and to our server, and compared.

PostgreSQL's row locks make the first one that changes a row win, and let the others wait for it. Ours is
first-committer-wins: UPDATE and DELETE never wait, and the loser hears 40001 at COMMIT. What has to be equal all the
same is this. A schedule is said to PostgreSQL first. A session that waits is passed over until its statement returns,
so what happened there has an order: that in which statements returned. Ours is then told the same, with the client of
a doomed transaction doing what a client does at an error, and

- every read returns the same rows, every statement the same tag, and the final rows are the same;
- a transaction commits on ours exactly if it did on PostgreSQL;
- an insert of a primary key that waits on PostgreSQL waits on ours, and ends the same way: it goes on, or fails with
  23505, or with 40P01 at once if its wait would close a cycle of such waits. If PostgreSQL waits for one that updates
  the row with that key, ours may answer 23505 at once: such a change does not free the key;
- a transaction of REPEATABLE READ that PostgreSQL fails with 40001 at an UPDATE or DELETE fails with 40001 at its
  COMMIT on ours, which is said in place of ROLLBACK; with a savepoint to go back to, it is as if it had never been;
- nothing else waits on ours. An UPDATE or DELETE that waits on PostgreSQL is said to ours when it was said to
  PostgreSQL under REPEATABLE READ, where its snapshot decides what it sees, and when it returned under READ COMMITTED,
  where it sees the row as it is by then.

The one excuse: a cycle that needs a wait for a row lock is none on ours. The transaction that PostgreSQL fails with
40P01 there is rolled back on ours at that point. Schedules in which PostgreSQL's timers made it fail another one than
the transaction that closed the cycle are not compared. And one order is not kept: PostgreSQL wakes all inserts that
wait for a key at once, and any may be next, so one that is overtaken there is said to ours when it returned.
"""
