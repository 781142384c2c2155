! SPDX-License-Identifier: MIT
! Laplace's equation by Jacobi's method in Fortran, on one core: laplace N MOST EVERY LIMIT FILE
program laplace
  implicit none
  integer, parameter :: real64 = selected_real_kind(15)
  real(real64), allocatable :: u(:, :), v(:, :)
  real(real64) :: limit, change
  character(len=4096) :: text
  integer :: n, most, every, sweep, i, j, pass
  integer(selected_int_kind(18)) :: start, stop_, rate
  call get_command_argument(1, text); read (text, *) n
  call get_command_argument(2, text); read (text, *) most
  call get_command_argument(3, text); read (text, *) every
  call get_command_argument(4, text); read (text, *) limit
  call get_command_argument(5, text)
  allocate (u(n, n), v(n, n))
  do pass = 1, 2                       ! the second one is timed
    u = 0
    u(1, :) = 75; u(n, :) = 50         ! the first index is the column
    u(:, 1) = 100
    v = u
    call system_clock(start, rate)
    do sweep = 1, most
      do j = 2, n - 1
        do i = 2, n - 1
          v(i, j) = 0.25_real64*((u(i, j - 1) + u(i, j + 1)) + u(i - 1, j) + u(i + 1, j))
        end do
      end do
      change = limit
      if (mod(sweep, every) == 0) change = maxval(abs(v - u))
      call swap(u, v)
      if (change < limit) exit
    end do
    call system_clock(stop_)
  end do
  open (10, file=trim(text), access='stream', form='unformatted', status='replace')
  write (10) u
  close (10)
  print '(a, es12.5, a, i0, a)', '{"seconds":', real(stop_ - start, real64)/rate, ', "sweeps": ', min(sweep, most), '}'
contains
  subroutine swap(a, b)
    real(real64), allocatable, intent(inout) :: a(:, :), b(:, :)
    real(real64), allocatable :: c(:, :)
    call move_alloc(a, c)
    call move_alloc(b, a)
    call move_alloc(c, b)
  end subroutine
end program
